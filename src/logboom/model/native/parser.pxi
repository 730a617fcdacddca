# Reads one event in C: its leaves, its signature (what its shape is made from) and its time.
#
# What the mapping rules say about a key is asked of Python once and kept in a tree of nodes; per event
# only the dynamic rules run here. Whatever is unusual is left to `model.event`, which defines it all.

cdef enum Status:
    PARSED = 0
    NOT_AN_OBJECT = 1
    UNSURE = 2  # the pure-Python definition decides
    NEW_KEY = 3  # the node of a key has to be made first

cdef enum Code:
    # The low five bits of a signature token, the rest is the node; below 8 it is a leaf's type.
    CODE_NULL = 8
    CODE_EMPTY_LIST = 9
    CODE_OPEN = 10
    CODE_CLOSE = 11
    CODE_MESSAGE = 12
    CODE_MESSAGE_BARE = 13
    CODE_SOURCE = 14
    CODE_SOURCE_BARE = 15
    CODE_TIME = 16  # followed by four tokens with the format's characters

ctypedef struct Leaf:
    Item item
    int32_t node
    int32_t field
    int32_t token  # its place in the signature
    int32_t first  # of its elements, for a list
    int32_t count

ctypedef struct Node:
    # A key at a path: what the mapping rules say about it, worked out once.
    const char* key
    uint64_t key_word  # its first eight bytes, zeros behind a shorter one
    int32_t key_length
    int32_t parent
    int32_t field
    int32_t slot  # number of the folded key in the top-level namespace, -1 below it
    int32_t segments  # of its path in the event
    int32_t next_guess
    int32_t child_guess
    int32_t time_rank
    int32_t message_rank
    int32_t source_rank
    int32_t wanted  # number of the placeholder it answers + 1
    uint32_t hash  # the upper half
    bint container
    bint opened  # whether an object here is flattened further

cdef enum:
    ROOT = 0
    UNKNOWN = -1
    CROWDED = -2
    MAX_NODES = 65536
    MAX_LINE_BYTES = 0x7FFFFFFF
    MAX_NAME_BYTES = 33554432
    MAX_NEW_KEYS = 1000  # of one event: each makes it be read anew
    NODE_TABLE_SIZE = 262144
    MAX_LEAVES = 4096
    MAX_ELEMENTS = 16384
    MAX_SIGNATURE = 16384
    MAX_DEPTH = 24
    NO_RANK = 1000
    MESSAGE_FIELD = 0
    SOURCE_FIELD = 1

cdef int32_t ARRAY_LIMIT = MAX_ARRAY_ELEMENTS
# Of every code that is one letter; an object opens with its brace.
cdef const char* LETTERS = b"sifbSIFBn?{?mwop"


cdef class Parser:
    """Parses events one at a time. Not thread-safe; do not use it after an exception."""

    cdef Node* nodes
    cdef int32_t node_count
    cdef int64_t node_capacity
    cdef int32_t* table
    cdef uint64_t table_mask
    cdef readonly int64_t collisions  # steps past places of the tables that other keys had taken
    cdef list keys, paths
    cdef dict slot_ids, field_ids
    cdef readonly list field_names
    cdef int64_t name_bytes
    cdef tuple wanted_paths
    cdef const char* missing_key
    cdef int32_t missing_length, missing_parent, new_keys
    cdef uint64_t missing_hash, missing_place
    cdef Leaf* leaves
    cdef int32_t leaf_count
    cdef Item* elements
    cdef int32_t element_count
    cdef uint32_t* signature
    cdef int32_t signature_length
    cdef int64_t time_ns
    cdef bint has_time
    cdef bint has_timestamp  # whether a member `timestamp` of the event itself was read
    # The last event that used a field, or a key of the top-level namespace.
    cdef int64_t* stamps
    cdef int64_t* slot_stamps
    cdef int64_t stamp
    cdef int64_t stamp_capacity

    def __cinit__(self):
        self.node_capacity = 256
        self.nodes = <Node*>take_memory(self.node_capacity, sizeof(Node))
        self.table = <int32_t*>take_memory(NODE_TABLE_SIZE, sizeof(int32_t))
        self.table_mask = NODE_TABLE_SIZE - 1
        self.leaves = <Leaf*>take_memory(MAX_LEAVES, sizeof(Leaf))
        self.elements = <Item*>take_memory(MAX_ELEMENTS, sizeof(Item))
        self.signature = <uint32_t*>take_memory(MAX_SIGNATURE, sizeof(uint32_t))
        self.nodes[ROOT].next_guess = self.nodes[ROOT].child_guess = -1
        self.node_count = 1
        self.keys = [b""]
        self.paths = [((), ())]
        self.slot_ids = {}
        self.field_ids = {}
        self.field_names = []
        self.wanted_paths = ()
        self.field_id("message")
        self.field_id("source")

    def __dealloc__(self):
        free(self.nodes)
        free(self.table)
        free(self.leaves)
        free(self.elements)
        free(self.signature)
        free(self.stamps)
        free(self.slot_stamps)

    @property
    def is_full(self) -> bool:
        """Whether it has seen so many names that a new parser should replace it."""
        return (self.node_count >= MAX_NODES or len(self.field_names) >= 2 * MAX_NODES
                or self.name_bytes > MAX_NAME_BYTES)

    cdef Status parse(self, const char* at, const char* end) noexcept nogil:
        cdef Status status
        at = skip_blanks(at, end)
        if at >= end or at[0] != c'{':
            return NOT_AN_OBJECT
        if end - at > MAX_LINE_BYTES or not is_utf8(at, end):
            return UNSURE
        self.stamp += 1
        self.leaf_count = self.element_count = self.signature_length = 0
        self.has_time = self.has_timestamp = False
        status = self._read_object(at + 1, end)
        if status != NEW_KEY:
            self.new_keys = 0
        return self._settle() if status == PARSED else status

    cdef Status _read_object(self, const char* at, const char* end) noexcept nogil:
        cdef int32_t[MAX_DEPTH] parents
        cdef int32_t level = 0, previous = -1, node
        cdef bint expect_member = False
        cdef Node* info
        cdef Item item
        parents[0] = ROOT
        while True:
            at = skip_blanks(at, end)
            if at >= end or self.leaf_count >= MAX_LEAVES - 1 or self.signature_length >= MAX_SIGNATURE - 8:
                return UNSURE
            if at[0] == c'}' and not expect_member:
                if level > 0:
                    self.signature[self.signature_length] = CODE_CLOSE
                    self.signature_length += 1
                previous = parents[level]
                level -= 1
                at += 1
            else:
                if at[0] != c'"':
                    return UNSURE
                node = self.nodes[previous].next_guess if previous >= 0 else self.nodes[parents[level]].child_guess
                if node >= 0 and self._is_key(node, parents[level], at + 1, end):
                    at += self.nodes[node].key_length + 2
                else:
                    at = read_string(at + 1, end, &item)
                    if at == NULL or item.escaped:
                        return UNSURE
                    node = self._find(parents[level], previous, item.start, item.length)
                    if node == UNKNOWN and self.node_count < MAX_NODES and self.new_keys < MAX_NEW_KEYS:
                        return NEW_KEY
                    if node < 0:
                        return UNSURE
                previous = node
                info = &self.nodes[node]
                at = skip_blanks(at, end)
                if at >= end or at[0] != c':':
                    return UNSURE
                at = skip_blanks(at + 1, end)
                if at >= end:
                    return UNSURE
                if info.slot >= 0 and not (info.container and at[0] == c'{'):
                    if self._stamp(self.slot_stamps, info.slot):
                        self.has_timestamp = self.has_timestamp or (level == 0 and info.time_rank == 0)
                    elif not (self.has_timestamp and level == 0 and info.time_rank == 0):
                        return UNSURE  # but of two timestamps the first is the time, the other a field
                if at[0] == c'{':
                    if not info.opened:
                        return UNSURE
                    self.signature[self.signature_length] = <uint32_t>node << 5 | CODE_OPEN
                    self.signature_length += 1
                    level += 1
                    parents[level] = node
                    previous = -1
                    expect_member = False
                    at += 1
                    continue
                if at[0] == c'[':
                    at = self._read_array(at + 1, end, node)
                else:
                    at = read_scalar(at, end, &self.leaves[self.leaf_count].item)
                    if at != NULL:
                        self._add_leaf(node)
                if at == NULL:
                    return UNSURE
            at = skip_blanks(at, end)
            if level < 0:
                return PARSED if at == end else UNSURE
            if at >= end:
                return UNSURE
            expect_member = at[0] == c','
            if expect_member:
                at += 1
            elif at[0] != c'}':
                return UNSURE

    cdef const char* _read_array(self, const char* at, const char* end, int32_t node) noexcept nogil:
        """Parse an array of scalars of one type; NULL for any other."""
        cdef Leaf* leaf
        cdef Item* element
        cdef int32_t first = self.element_count
        at = skip_blanks(at, end)
        if at < end and at[0] == c']':
            self.signature[self.signature_length] = <uint32_t>node << 5 | CODE_EMPTY_LIST
            self.signature_length += 1
            return at + 1
        while True:
            if self.element_count >= MAX_ELEMENTS or self.element_count - first >= ARRAY_LIMIT:
                return NULL
            element = &self.elements[self.element_count]
            at = read_scalar(skip_blanks(at, end), end, element)
            if at == NULL or element.type == NULL_VALUE or element.type != self.elements[first].type:
                return NULL
            self.element_count += 1
            at = skip_blanks(at, end)
            if at >= end:
                return NULL
            if at[0] == c']':
                break
            if at[0] != c',':
                return NULL
            at += 1
        if self.elements[first].type == INT and self.nodes[node].message_rank < NO_RANK:
            return NULL  # they may be the bytes of a message
        leaf = &self.leaves[self.leaf_count]
        leaf.item.type = LIST + self.elements[first].type
        leaf.node, leaf.field = node, self.nodes[node].field
        leaf.first, leaf.count = first, self.element_count - first
        leaf.token = self.signature_length
        self.leaf_count += 1
        self.signature[self.signature_length] = <uint32_t>node << 5 | <uint32_t>leaf.item.type
        self.signature_length += 1
        return at + 1

    cdef void _add_leaf(self, int32_t node) noexcept nogil:
        """Store the last scalar in the next leaf."""
        cdef Leaf* leaf = &self.leaves[self.leaf_count]
        self.signature[self.signature_length] = <uint32_t>node << 5 | <uint32_t>leaf.item.type
        if leaf.item.type != NULL_VALUE:
            leaf.node, leaf.field = node, self.nodes[node].field
            leaf.token = self.signature_length
            self.leaf_count += 1
        self.signature_length += 1

    cdef bint _stamp(self, int64_t* stamps, int32_t number) noexcept nogil:
        """Mark as used by this event; False if it was already marked."""
        if stamps[number] == self.stamp:
            return False
        stamps[number] = self.stamp
        return True

    cdef Status _settle(self) noexcept nogil:
        """Find the fields of the core roles, and check that each field has one value only."""
        cdef int32_t at, time = -1, message = -1, source = -1
        cdef int32_t time_rank = NO_RANK, message_rank = NO_RANK, source_rank = NO_RANK
        cdef Node* node
        for at in range(self.leaf_count):
            if self.leaves[at].item.type >= LIST:
                continue
            node = &self.nodes[self.leaves[at].node]
            if node.time_rank < time_rank:
                time, time_rank = at, node.time_rank
            if node.message_rank < message_rank:
                message, message_rank = at, node.message_rank
            if node.source_rank < source_rank:
                source, source_rank = at, node.source_rank
        if time >= 0 and not self._settle_time(time):
            return UNSURE
        if message >= 0:
            self._settle_text(message, MESSAGE_FIELD, CODE_MESSAGE)
        if source >= 0:
            self._settle_text(source, SOURCE_FIELD, CODE_SOURCE)
        for at in range(self.leaf_count):
            if self.leaves[at].field >= 0 and not self._stamp(self.stamps, self.leaves[at].field):
                return UNSURE
        self.signature[self.signature_length] = self.has_time
        self.signature_length += 1
        return PARSED

    cdef void _settle_text(self, int32_t winner, int32_t field, Code code) noexcept nogil:
        cdef Leaf* leaf = &self.leaves[winner]
        cdef uint32_t letter = code if leaf.item.type == STR else code + 1
        leaf.field = field
        leaf.item.type = STR
        self.signature[leaf.token] = <uint32_t>leaf.node << 5 | letter

    cdef bint _settle_time(self, int32_t winner) noexcept nogil:
        """Append the format to the signature's tokens, which keep their positions."""
        cdef Leaf* leaf = &self.leaves[winner]
        cdef char[16] format
        if not read_time(&leaf.item, &self.time_ns, format):
            return False
        self.has_time = True
        leaf.field = -1
        self.signature[leaf.token] = <uint32_t>leaf.node << 5 | CODE_TIME
        memcpy(&self.signature[self.signature_length], format, 16)
        self.signature_length += 4
        return True

    cdef bint _is_key(self, int32_t number, int32_t parent, const char* at, const char* end) noexcept nogil:
        """Whether the text at `at` is the key of this node and its closing quote."""
        cdef Node* node = &self.nodes[number]
        cdef uint64_t word
        if node.parent != parent or end - at <= node.key_length or at[node.key_length] != c'"':
            return False
        if end - at < 8:
            return memcmp(node.key, at, node.key_length) == 0
        memcpy(&word, at, 8)
        if node.key_length < 8:
            word &= ((<uint64_t>1) << node.key_length * 8) - 1
        return word == node.key_word and (
            node.key_length <= 8 or memcmp(node.key + 8, at + 8, node.key_length - 8) == 0
        )

    cdef int32_t _find(self, int32_t parent, int32_t previous, const char* key, int32_t length) noexcept nogil:
        """The node of a key, which becomes the guess for the next time; UNKNOWN, or CROWDED if there is no room for it."""
        cdef uint64_t hash = hash_seeded(parent, key, length)
        cdef uint64_t place = hash & self.table_mask
        cdef Node* node
        cdef int32_t found, probe
        for probe in range(MOST_PROBES):
            found = self.table[place]
            if found == 0:
                self.missing_key, self.missing_length, self.missing_parent = key, length, parent
                self.missing_hash, self.missing_place = hash, place
                return UNKNOWN
            node = &self.nodes[found]
            if (node.hash == hash >> 32 and node.parent == parent and node.key_length == length
                    and memcmp(node.key, key, length) == 0):
                break
            self.collisions += 1
            place = (place + 1) & self.table_mask
        else:
            return CROWDED
        if previous >= 0:
            self.nodes[previous].next_guess = found
        else:
            self.nodes[parent].child_guess = found
        return found

    cdef int add_missing_key(self) except -1:
        """Create the node that was missing in the last parse."""
        cdef bytes key = self.missing_key[:self.missing_length]
        cdef int32_t parent = self.missing_parent
        cdef Node* node
        self.new_keys += 1
        path, raw_path = self.paths[parent]
        text = key.decode()
        path = (text,) if self.nodes[parent].container else (*path, text)
        raw_path = (*raw_path, text)
        if self.node_count == self.node_capacity:
            if not resize(<void**>&self.nodes, self.node_capacity * 2, sizeof(Node)):
                raise MemoryError
            self.node_capacity *= 2
        node = &self.nodes[self.node_count]
        memset(node, 0, sizeof(Node))
        self.keys.append(key)
        self.name_bytes += len(key)
        self.paths.append((path, raw_path))
        node.key, node.key_length, node.parent = key, len(key), parent
        memcpy(&node.key_word, node.key, min(node.key_length, 8))
        node.hash = <uint32_t>(self.missing_hash >> 32)
        node.opened, node.segments = is_opened(path), len(raw_path)
        node.next_guess = node.child_guess = -1
        node.container = parent == ROOT and text in CONTAINERS
        node.field = self.field_id(fold_name(".".join(path)))
        node.slot = self.slot_ids.setdefault(fold_name(text), len(self.slot_ids)) if len(path) == 1 else -1
        node.time_rank = rank_key(Role.TIME, path)
        node.message_rank = rank_key(Role.MESSAGE, path)
        node.source_rank = rank_key(Role.SOURCE, path)
        node.wanted = find_wanted(self.wanted_paths, raw_path)
        self.table[self.missing_place] = self.node_count
        self.node_count += 1
        return self._grow_stamps()

    cdef int _grow_stamps(self) except -1:
        cdef int64_t known = self.stamp_capacity
        cdef int64_t needed = max(len(self.field_names), len(self.slot_ids))
        cdef int64_t capacity = enlarge(known, needed, 256)
        if needed <= known:
            return 0
        if not (resize(<void**>&self.stamps, capacity, sizeof(int64_t))
                and resize(<void**>&self.slot_stamps, capacity, sizeof(int64_t))):
            raise MemoryError
        memset(&self.stamps[known], 0, (capacity - known) * sizeof(int64_t))
        memset(&self.slot_stamps[known], 0, (capacity - known) * sizeof(int64_t))
        self.stamp_capacity = capacity
        return 0

    cdef int want(self, tuple paths) except -1:
        """Mark the nodes that answer the placeholders of an index template."""
        cdef int32_t at
        if paths != self.wanted_paths:
            self.wanted_paths = paths
            for at in range(1, self.node_count):
                self.nodes[at].wanted = find_wanted(paths, self.paths[at][1])
        return 0

    cdef int32_t field_id(self, str field) except -1:
        number = self.field_ids.setdefault(field, len(self.field_names))
        if number == len(self.field_names):
            self.field_names.append(field)
            self.name_bytes += len(field)
            self._grow_stamps()
        return number

    cdef bint describe(self, Bytes* shape) noexcept nogil:
        """Write the shape of the last parsed event; False if memory runs out."""
        cdef int32_t at, body = self.signature_length - (5 if self.has_time else 1)
        cdef uint32_t code
        cdef bint first = True, fits = append(shape, b"{", 1)
        cdef Node* node
        for at in range(body):
            code = self.signature[at] & 31
            if code == CODE_CLOSE:
                fits = fits and append(shape, b"}", 1)
                first = False
                continue
            node = &self.nodes[self.signature[at] >> 5]
            fits = fits and append(shape, b'"' if first else b',"', 1 if first else 2)
            fits = fits and append(shape, node.key, node.key_length) and append(shape, b'":', 2)
            first = code == CODE_OPEN
            if code == CODE_EMPTY_LIST:
                fits = fits and append(shape, b"[]", 2)
            elif code == CODE_TIME:
                fits = fits and append(shape, b"t(", 2)
                fits = fits and append(shape, &self.signature[body], strlen(<const char*>&self.signature[body]))
                fits = fits and append(shape, b")", 1)
            else:
                fits = fits and append(shape, &LETTERS[code], 1)
        return fits and append(shape, b"}", 1)


def rank_key(role: Role, path: tuple[str, ...]) -> int:
    """The rank of a path among a role's aliases; a literal key comes before a nested one."""
    nested = path in (("log", "body"), ("log", "source"))
    if len(path) > 1 and not nested:
        return NO_RANK
    rank = rank_alias(role, ".".join(path))
    return NO_RANK if rank is None else rank * 2 + nested


def find_wanted(wanted: tuple[str, ...], path: tuple[str, ...]) -> int:
    name = ".".join(path)
    return wanted.index(name) + 1 if name in wanted else 0
